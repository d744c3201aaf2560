import { textOf } from '../../shared/json.ts';
import type { Piece } from './turns.ts';

/** Image types that browsers show without running any content. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.=+-]+)*;base64,/i;
const MOST_ABOUT = 300;

/** Returns a picture as a data URL. Content that is not one is only named. */
export function imagePiece(type: unknown, base64: unknown): Piece {
  const known = textOf(type).toLowerCase();
  // Some formats use the alphabet for URLs.
  const data = textOf(base64).replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const isShown = PICTURES.test(known) && BASE64.test(data);
  return { type: 'image', url: isShown ? `data:${known};base64,${data}` : null, about: known.slice(0, MOST_ABOUT) };
}

/** Returns the picture in a data URL. Any other URL is only named: the page loads nothing that a capture mentions. */
export function imageAt(url: unknown): Piece {
  const text = textOf(url);
  const head = DATA_URL.exec(text);
  if (head !== null) return imagePiece(head[1], text.slice(head[0].length));
  return { type: 'image', url: null, about: text.slice(0, MOST_ABOUT) };
}
