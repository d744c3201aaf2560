import type { NewAuditEntry } from './audit-log.ts';

/** One settings section in configuration-file terms; only what was set. */
export type SettingFields = Readonly<Record<string, unknown>>;

export type SettingSections = Readonly<Record<string, SettingFields>>;

/** The fields that a store encrypts, by section. They are texts at the top of their section. */
export const SEALED_SETTINGS: Readonly<Record<string, readonly string[]>> = { mail: ['smtp_url'] };

/** Settings made through the API. A gateway applies them when it starts. */
export interface SettingsStore {
  read(): Promise<SettingSections>;
  /** Changes one section and appends its audit entries in one transaction. An exception in `change` leaves everything unchanged. */
  change(
    section: string,
    change: (before: SettingFields) => SettingFields,
    audit: (before: SettingFields, after: SettingFields) => readonly NewAuditEntry[],
  ): Promise<SettingFields>;
}
