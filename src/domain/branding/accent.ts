/** An accent colour with the colours that go with it, each as `#rrggbb`. */
export interface Accent {
  /** For links, focus rings, selected controls and the ground of primary buttons. */
  readonly accent: string;
  readonly accentHover: string;
  /** Text on `accent` and on `accentHover`. */
  readonly onAccent: string;
  /** The ground of selected lines, on which text in `accent` or in the theme's own colours is shown. */
  readonly accentGround: string;
}

type Rgb = readonly [red: number, green: number, blue: number];

interface Theme {
  /** The grounds of `dashboard/style.css` on which text in the accent colour is shown. A test compares the two. */
  readonly grounds: Readonly<Record<'page' | 'panel' | 'sunken' | 'hover', string>>;
  /** The faintest text on `accentGround`. */
  readonly soft: string;
  readonly onAccent: string;
  /** The colour towards which an accent is mixed until it can be read: away from the grounds. */
  readonly away: Rgb;
  /** The share of the accent in `accentGround`. */
  readonly tint: number;
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

export const THEME_COLORS = {
  light: {
    grounds: { page: '#f6f7f9', panel: '#ffffff', sunken: '#eef1f4', hover: '#e8ecf1' },
    soft: '#4d5b6b',
    onAccent: '#ffffff',
    away: BLACK,
    tint: 0.12,
  },
  dark: {
    grounds: { page: '#0f1319', panel: '#171d25', sunken: '#11161d', hover: '#232c37' },
    soft: '#a3b0bf',
    onAccent: '#0a1626',
    away: WHITE,
    tint: 0.16,
  },
} as const satisfies Readonly<Record<string, Theme>>;

/** The least contrast of text (WCAG 2.2, 1.4.3). */
export const LEAST_CONTRAST = 4.5;

const STEP = 0.02;
const HOVER = 0.2;
/** A colour of this luminance or further would not change visibly if it were mixed further away from the grounds. */
const FARTHEST = { light: 0.03, dark: 0.8 } as const;

/**
 * Returns the accents of both themes for a brand's colour: the colour itself where it can be read, else the nearest shade of it that can.
 *
 * @param color `#rrggbb`
 */
export function accentsOf(color: string): { readonly light: Accent; readonly dark: Accent } {
  return { light: accentIn('light', color), dark: accentIn('dark', color) };
}

function accentIn(name: 'light' | 'dark', color: string): Accent {
  const theme: Theme = THEME_COLORS[name];
  const wanted = rgbOf(color);
  const ground = groundOf(theme, wanted);
  const grounds = [...Object.values(theme.grounds).map(rgbOf), ground];
  const onAccent = rgbOf(theme.onAccent);
  const isReadable = (one: Rgb) => [...grounds, onAccent].every((other) => contrastOf(one, other) >= LEAST_CONTRAST);
  let accent = wanted;
  for (let share = STEP; share < 1 && !isReadable(accent); share += STEP) accent = mixed(wanted, theme.away, share);
  const isFarthest = name === 'light' ? luminanceOf(accent) < FARTHEST.light : luminanceOf(accent) > FARTHEST.dark;
  // Still readable with the text on it, since the farthest accents have contrast to spare.
  const hover = mixed(accent, isFarthest ? (name === 'light' ? WHITE : BLACK) : theme.away, HOVER);
  return {
    accent: hexOf(accent),
    accentHover: hexOf(hover),
    onAccent: theme.onAccent,
    accentGround: hexOf(ground),
  };
}

/** Returns the panel's colour with a tint, weak enough for the theme's faintest text. */
function groundOf({ grounds, soft, tint }: Theme, color: Rgb): Rgb {
  const panel = rgbOf(grounds.panel);
  for (let share = tint; share > 0; share -= STEP) {
    const ground = mixed(panel, color, share);
    if (contrastOf(rgbOf(soft), ground) >= LEAST_CONTRAST) return ground;
  }
  return panel;
}

/** Returns the contrast of two colours given as `#rrggbb`: from 1 for equal ones to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: string, other: string): number {
  return contrastOf(rgbOf(one), rgbOf(other));
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the relative luminance, 0 to 1 (WCAG 2.2). */
function luminanceOf(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns whole channels, so that a contrast is that of the colour as it is written. */
function mixed([r, g, b]: Rgb, [red, green, blue]: Rgb, share: number): Rgb {
  const channel = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [channel(r, red), channel(g, green), channel(b, blue)];
}

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function hexOf([red, green, blue]: Rgb): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`;
}
