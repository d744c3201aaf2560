/** How a file may be given to a browser. */
export interface ServedAs {
  readonly contentType: string;
  readonly disposition: string;
}

/** Browsers show or play these without running anything in them, except SVG, which may contain scripts. */
const SHOWN = /^(?:image|audio|video|model)\/(?!svg)/;
const SAVED_AS_IT_IS = 'image/svg+xml';

/**
 * What a model has made is foreign content on the gateway's own origin: pictures, sound, video and 3D models are shown, everything else
 * is a file to save, of no type that a browser would open. An SVG keeps its type, since an `<img>` shows it, without its scripts.
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
