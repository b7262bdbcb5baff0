//! `sumac.toml` and the client's settings: any text is read, what is wrong lies inside of it, and whatever is left over is a
//! configuration of which everything can be asked.

use sumac::config::{Config, Layer, from_client, read};

use crate::places::assert_inside;

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut layer, problems) = read(&text);
    for problem in &problems {
        assert_inside(&text, problem.range, &problem.message);
    }
    assert_eq!(layer.over(&layer), layer);
    assert_eq!(layer.over(&Layer::default()), layer);
    ask(&layer.config());
    layer.distrust();
    ask(&layer.config());
    if let Ok(settings) = serde_json::from_str(&text) {
        let mut layer = Layer::default();
        let _ = from_client(&mut layer, &settings);
        ask(&layer.config());
    }
}

fn ask(config: &Config) {
    let _ = config.search_options();
    let _ = config.run_memory();
    let _ = config.least_saving();
    let _ = config.most_lost_digits();
    let _ = config.cluster();
    let _ = config.format_options();
    let _ = config.severities();
}
