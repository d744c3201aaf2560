import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MediaNodes } from '../../conformance/shared/media-nodes.ts';
import { pngOf } from '../../conformance/shared/png.ts';
import { sharedChromium } from '../shared/chromium.ts';

/* Links to stored files in a page of another origin, which file contents must not harm. */

const PNG = new Uint8Array(pngOf({ width: 1, height: 1 }));
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><script>top.hacked = true; document.title = 'hacked'</script><rect width="7" height="7"/></svg>`;

let nodes: MediaNodes;
let pages: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  nodes = await MediaNodes.open();
});
afterAll(async () => {
  await pages?.stop(true);
  await nodes?.close();
});

/** A second of silence. */
function wav(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + 8_000).fill(128);
  const view = new DataView(bytes.buffer);
  for (const [at, text] of [
    [0, 'RIFF'],
    [8, 'WAVE'],
    [12, 'fmt '],
    [36, 'data'],
  ] as const)
    bytes.set(Buffer.from(text), at);
  for (const [at, value] of [
    [4, 8_036],
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, 8_000],
  ] as const)
    view.setUint32(at, value, true);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    view.setUint16(at, value, true);
  return bytes;
}

interface Links {
  readonly png: string;
  readonly svg: string;
  readonly wav: string;
}

/** Runs in the page. Resolves to what it could load and read of the links. */
async function seen(links: Links) {
  // The project does not include DOM types.
  const page = Object(globalThis);
  const loaded = (element: Record<string, unknown>, event: string, src: string) =>
    new Promise((resolve) => {
      element[`on${event}`] = () => resolve(element.naturalWidth ?? Math.round(Number(element.duration) * 10));
      element.onerror = () => resolve('error');
      element.src = src;
    });
  return {
    png: await loaded(new page.Image(), 'load', links.png),
    svg: await loaded(new page.Image(), 'load', links.svg),
    wav: await loaded(new page.Audio(), 'loadedmetadata', links.wav),
    read: (await (await fetch(links.png)).blob()).size,
    hacked: page.hacked ?? false,
  };
}

test('a page of another origin shows pictures, plays sound, and does not run the scripts of an SVG', async () => {
  const links = {
    png: await nodes.linkTo(PNG, 'image/png'),
    svg: await nodes.linkTo(new TextEncoder().encode(SVG), 'image/svg+xml'),
    wav: await nodes.linkTo(wav(), 'audio/wav'),
  };
  const html = await nodes.linkTo(new TextEncoder().encode('<script>parent.hacked = true</script>'), 'text/html');
  const body = `<!doctype html><body><iframe src="${Bun.escapeHTML(html)}"></iframe>`;
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }),
  });
  const context = await (await sharedChromium()).newContext();
  const page = await context.newPage();
  // Resolves when the frame has loaded as well.
  await page.goto(pages.url.href);
  const { length } = PNG;
  expect(await page.evaluate(seen, links)).toEqual({ png: 1, svg: 7, wav: 10, read: length, hacked: false });
  await context.close();
});
