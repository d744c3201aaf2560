import { logsFrom, logsSchema } from '../../engine/admin/schema/logs-section.ts';
import { layered } from '../../engine/admin/settings/leaves.ts';
import type { SettingFields, SettingsStore } from '../../engine/ports/settings-store.ts';
import type { LineLogger } from './logger.ts';

const LOOK_EVERY_MS = 5_000;

export interface LiveLogOptions {
  readonly logger: LineLogger;
  readonly settings: Pick<SettingsStore, 'read'>;
  /** The section as the environment and as the configuration file state it. The file wins over the API, and both over the environment. */
  readonly stated: SettingFields;
  readonly written: SettingFields;
}

/**
 * Applies the section `logs` while the gateway runs: changes over the API within seconds, those of the file at a reload. The access log is
 * opened at the start only.
 */
export class LiveLogSettings {
  #written: SettingFields;
  #inForce: string | null = null;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly options: LiveLogOptions) {
    this.#written = options.written;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Applies the section of a configuration file that was read again. */
  reloaded(written: SettingFields): Promise<void> {
    this.#written = written;
    return this.look();
  }

  /** Applies what was set over the API. Never rejects: without the database, the last settings stay. */
  async look(): Promise<void> {
    const { settings, stated, logger } = this.options;
    try {
      const { logs = {} } = await settings.read();
      const fields = layered(layered(stated, logs), this.#written);
      const text = JSON.stringify(fields);
      if (text === this.#inForce) return;
      const isFirst = this.#inForce === null;
      this.#inForce = text;
      logger.set(logsFrom(logsSchema.parse(fields)));
      if (!isFirst) logger.info({ settings: fields }, 'the settings of logs changed');
    } catch {
      // The store reports its outages itself, and no invalid setting is stored.
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
