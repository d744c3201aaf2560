import type { NewAuditEntry } from './audit-log.ts';

/** One settings section in configuration-file terms; only what was set. */
export type SettingWords = Readonly<Record<string, unknown>>;

export type SettingSections = Readonly<Record<string, SettingWords>>;

/** Settings made through the API. A gateway applies them when it starts. */
export interface SettingsStore {
  read(): Promise<SettingSections>;
  /** Changes one section and appends its audit entries in one transaction. An exception in `change` leaves everything unchanged. */
  change(
    section: string,
    change: (before: SettingWords) => SettingWords,
    audit: (before: SettingWords, after: SettingWords) => readonly NewAuditEntry[],
  ): Promise<SettingWords>;
}
