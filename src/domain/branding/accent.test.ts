import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accentsOf, contrast, LEAST_CONTRAST, THEME_COLORS } from './accent.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe.each(['light', 'dark'] as const)('in the %s theme', (name) => {
  const { grounds, soft } = THEME_COLORS[name];

  test('any colour becomes an accent that can be read wherever it is used', () => {
    const check = (chosen: string) => {
      const { accent, accentHover, onAccent, accentGround } = accentsOf(chosen)[name];
      const pairs = [
        ...[...Object.values(grounds), accentGround].map((ground) => [accent, ground] as const),
        ...[accent, accentHover].map((ground) => [onAccent, ground] as const),
        [soft, accentGround] as const,
      ];
      for (const [text, ground] of pairs) {
        expect({ chosen, text, ground, isReadable: contrast(text, ground) >= LEAST_CONTRAST }).toMatchObject({
          isReadable: true,
        });
      }
      expect(accentHover).not.toBe(accent);
    };
    for (const extreme of ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#ffff00', '#808080']) check(extreme);
    fc.assert(fc.property(color, check), { numRuns: 300 });
  });

  test('the colours are those of the stylesheet', async () => {
    const css = await Bun.file(new URL('../../../dashboard/style.css', import.meta.url)).text();
    const [, light = '', dark = ''] = /:root \{([^}]*)\}[\s\S]*?:root\[data-theme="dark"\] \{([^}]*)\}/.exec(css) ?? [];
    const said = name === 'light' ? light : dark;
    for (const [ground, value] of Object.entries({ ...grounds, soft, 'on-accent': THEME_COLORS[name].onAccent })) {
      expect(said).toContain(`--${ground}: ${value};`);
    }
  });
});

test('a colour that can be read stays as it is', () => {
  expect(accentsOf('#0f5fb8').light.accent).toBe('#0f5fb8');
  expect(accentsOf('#7db7ff').dark.accent).toBe('#7db7ff');
});

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
});
