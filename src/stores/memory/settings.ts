import type { AuditLog, NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { SettingSections, SettingsStore, SettingWords } from '../../engine/ports/settings-store.ts';

export class MemorySettings implements SettingsStore {
  readonly #sections = new Map<string, SettingWords>();

  constructor(private readonly audit: Pick<AuditLog, 'append'>) {}

  async read(): Promise<SettingSections> {
    return Object.fromEntries(this.#sections);
  }

  async change(
    section: string,
    change: (before: SettingWords) => SettingWords,
    audit: (before: SettingWords, after: SettingWords) => readonly NewAuditEntry[],
  ): Promise<SettingWords> {
    const before = this.#sections.get(section) ?? {};
    const after = structuredClone(change(before));
    this.#sections.set(section, after);
    await this.audit.append(audit(before, after));
    return after;
  }
}
