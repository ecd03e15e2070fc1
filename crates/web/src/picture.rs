//! Pictures as SVG.

use ::figure::PictureError;
use engine::Time;
use js_sys::Function;
use plot::Theme;
use scenario::flows;
use wasm_bindgen::prelude::*;

use crate::Scenario;
use crate::scenario::report_progress;

#[wasm_bindgen]
impl Scenario {
    /// Runs the scenario; returns the picture of a flow over TCP as `lasthop plot --flow` writes it, from and to these
    /// nanoseconds or over the whole run. `number` counts the flows over TCP.
    ///
    /// # Errors
    /// As [`run`](Self::run); a text if the flow does not exist, or has too many events to draw.
    pub fn picture(
        &self,
        number: usize,
        from: Option<u64>,
        to: Option<u64>,
        dark: bool,
        progress: &Function,
    ) -> Result<String, JsValue> {
        let loaded = self.load()?;
        let flow = flows::over_tcp(&loaded.network).get(number).copied();
        let flow = flow.ok_or_else(|| JsError::new("the scenario has no such flow"))?;

        let (range, theme) =
            ((from.map(Time::from_nanos), to.map(Time::from_nanos)), if dark { Theme::Dark } else { Theme::Light });
        match ::figure::draw_flow_picture(&loaded, flow, range, theme, &mut |share| report_progress(progress, share)) {
            Ok(picture) => Ok(picture.svg()),
            Err(PictureError::Interrupted(_)) => Err(JsValue::NULL),
            Err(error) => Err(JsError::new(&error.to_string()).into()),
        }
    }
}
