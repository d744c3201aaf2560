import type { NewAuditEntry } from './audit-log.ts';

/** A section of the settings in the words of a configuration file; only what was set. */
export type SettingWords = Readonly<Record<string, unknown>>;

export type SettingSections = Readonly<Record<string, SettingWords>>;

/** What operators have set over the API; a gateway takes it over when it starts. */
export interface SettingsStore {
  read(): Promise<SettingSections>;
  /**
   * Changes one section, in one transaction with the entries of the audit log that are given for it. What `change` throws leaves
   * everything as it was.
   */
  change(
    section: string,
    change: (before: SettingWords) => SettingWords,
    audit: (before: SettingWords, after: SettingWords) => readonly NewAuditEntry[],
  ): Promise<SettingWords>;
}
