import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { sharedChromium } from '../shared/chromium.ts';
import { barriers } from './axe.ts';

/* The contrast rule, which judges only one of several texts that look the same. */

let page: Page;
beforeAll(async () => {
  page = await (await sharedChromium()).newPage();
});
afterAll(async () => page?.context().close());

/** Shows three texts of the same colour: on white, on a background of this colour, and within a part of this style. */
async function show({ ground = '#fff', part = '' }): Promise<readonly string[]> {
  await page.setContent(`<html lang="en"><title>Contrast</title><main style="background: #fff; color: #333">
    <h1>Three texts</h1>
    <p>On white</p>
    <p id="ground" style="background: ${ground}">On its own background</p>
    <section style="${part}"><div><p id="part">Deeper in a part</p></div></section>
  </main></html>`);
  return idsOf(await barriers(page, 'dark'));
}

function idsOf(found: readonly string[]): readonly string[] {
  return found.map((one) => `${one.split(':')[0]} of ${/id="(\w+)"/.exec(one)?.[1]}`);
}

test('texts that look the same as one that passes are not a barrier', async () => {
  expect(await show({})).toEqual([]);
});

test.each([
  { how: 'on a background of its own', look: { ground: '#444' }, found: ['color-contrast of ground'] },
  {
    how: 'on the background of a part around it',
    look: { part: 'background: #444' },
    found: ['color-contrast of part'],
  },
  { how: 'in a part that is half transparent', look: { part: 'opacity: 0.4' }, found: ['color-contrast of part'] },
])('a text of the same colour $how is one', async ({ look, found }) => {
  expect(await show(look)).toEqual(found);
});

test('a text that passed is judged again when its colour, size or background changes', async () => {
  expect(await show({ ground: '#fff' })).toEqual([]);
  const found = async (style: string) => {
    await page.evaluate(`document.getElementById('ground').style = ${JSON.stringify(style)}`);
    return idsOf(await barriers(page, 'dark'));
  };
  expect(await found('color: #bbb')).toEqual(['color-contrast of ground']);
  expect(await found('background: #222')).toEqual(['color-contrast of ground']);
  // Large text needs a contrast of only 3.
  expect(await found('color: #888; font-size: 30px')).toEqual([]);
  expect(await found('color: #888; font-size: 15px')).toEqual(['color-contrast of ground']);
});

test('a text that cannot be judged counts for no other', async () => {
  await show({});
  await page.evaluate(`document.getElementById('ground').outerHTML =
    '<p style="color: #bbb">x</p><p id="ground" style="color: #bbb">A whole sentence</p>'`);
  expect(idsOf(await barriers(page, 'dark'))).toEqual(['color-contrast of ground']);
});
