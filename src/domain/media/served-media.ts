/** How a file may be served to a browser. */
export interface ServedAs {
  readonly contentType: string;
  readonly disposition: string;
}

/** Browsers display or play these without executing anything in them, except SVG, which may contain scripts. */
const SHOWN = /^(?:image|audio|video|model)\/(?!svg)/;
const SAVED_AS_IT_IS = 'image/svg+xml';

/**
 * Returns how to serve a file. A model's output is untrusted content on the gateway's own origin: images, audio, video and 3D
 * models are displayed, everything else is a download with a type that browsers do not open. An SVG keeps its type, because an
 * `<img>` shows it without running its scripts.
 *
 * `name` consists of letters, digits, dashes and dots.
 */
export function servedAs(mediaType: string, name: string): ServedAs {
  const isShown = SHOWN.test(mediaType);
  return {
    contentType: isShown || mediaType === SAVED_AS_IT_IS ? mediaType : 'application/octet-stream',
    disposition: `${isShown ? 'inline' : 'attachment'}; filename="${name}"`,
  };
}
