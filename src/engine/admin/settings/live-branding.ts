import { createHash } from 'node:crypto';
import { accentsOf } from '../../../domain/branding/accent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SettingFields, SettingsStore } from '../../ports/settings-store.ts';
import { type BrandingSettings, DEFAULT_BRANDING } from '../../settings/settings.ts';
import { brandingFrom, brandingSchema } from '../schema/branding-section.ts';
import { layered } from './leaves.ts';

/** The branding in force. */
export interface Branding extends BrandingSettings {
  /** A hash of all of it, for addresses of files that browsers keep; `null` if nothing was set. */
  readonly version: string | null;
}

interface LiveBrandingOptions {
  readonly settings: Pick<SettingsStore, 'read'>;
  /** The section of the configuration file, which wins. */
  readonly written: SettingFields;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The delay with which a process shows what was changed at another. */
const MAX_AGE_MS = 2_000;

/**
 * The branding, which takes effect without a restart. The store is read at most every two seconds, however many pages are requested; while
 * it cannot be read, the last branding stays.
 */
export class LiveBranding {
  #known: Branding | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<Branding> | null = null;

  constructor(private readonly options: LiveBrandingOptions) {}

  /** @param maxAgeMs 0 to read the store now */
  async current(maxAgeMs = MAX_AGE_MS): Promise<Branding> {
    const nowMs = this.options.clock.monotonicMs();
    if (this.#known !== null && nowMs - this.#readAtMs < maxAgeMs) return this.#known;
    // A read that is in flight may have begun before the change that `maxAgeMs` 0 is about.
    if (maxAgeMs === 0) await this.#reading;
    this.#reading ??= this.#read(nowMs).finally(() => {
      this.#reading = null;
    });
    return await this.#reading;
  }

  async #read(nowMs: number): Promise<Branding> {
    const { settings, written, logger } = this.options;
    const last = this.#known;
    try {
      const stored = (await settings.read()).branding ?? {};
      this.#known = brandingOf(layered(stored, written)) ?? brandingOf(written) ?? NONE;
    } catch (error) {
      logger.warn({ error: String(error).slice(0, 300) }, 'branding could not be read; the last one stays in effect');
      this.#known = last ?? brandingOf(written) ?? NONE;
    }
    this.#readAtMs = nowMs;
    return this.#known;
  }
}

const NONE: Branding = { ...DEFAULT_BRANDING, version: null };

/** Returns `null` for a section that is not valid, such as one that a newer version has stored. */
function brandingOf(section: SettingFields): Branding | null {
  const parsed = brandingSchema.safeParse(section);
  if (!parsed.success) return null;
  const isSet = Object.values(section).some((value) => value !== null && value !== undefined);
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.entries(section).sort()))
    .digest('hex');
  return { ...brandingFrom(parsed.data), version: isSet ? digest.slice(0, 16) : null };
}

/** The folder of the files of the branding, relative to the gateway's address. */
export const BRANDING_FOLDER = 'app/branding/';
export const BRANDING_FILES = { logo: 'logo', accent: 'accent.css' } as const;

/** Returns what every page shows of the branding. It contains nothing that a visitor must not know. */
export function brandingView({ name, logo, accentColor, supportUrl, version }: Branding) {
  const file = (path: string) => `${BRANDING_FOLDER}${version}/${path}`;
  return {
    name,
    logo_url: logo === null ? null : file(BRANDING_FILES.logo),
    style_url: accentColor === null ? null : file(BRANDING_FILES.accent),
    support_url: supportUrl,
  };
}

/** Returns the stylesheet of the accents; on paper everything stays black. */
export function accentStyle(color: string): string {
  const { light, dark } = accentsOf(color);
  const rules = ([selector, accent]: readonly [string, typeof light]) =>
    `${selector}{--accent:${accent.accent};--accent-hover:${accent.accentHover};--on-accent:${accent.onAccent};--accent-ground:${accent.accentGround}}`;
  const themes = [[':root', light] as const, [':root[data-theme="dark"]', dark] as const];
  return `@media screen{${themes.map(rules).join('')}}\n`;
}
