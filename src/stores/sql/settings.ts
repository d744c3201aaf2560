import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { SettingFields, SettingSections, SettingsStore } from '../../engine/ports/settings-store.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import { openedWords, sealedWords } from '../shared/tables/settings.ts';
import { ask, lock, type ProgramRunner, type SqlProgram } from './program.ts';

/** The settings store for both databases. */
export class SqlSettings implements SettingsStore {
  readonly #runner: ProgramRunner;
  readonly #box: SecretBox;

  constructor(runner: ProgramRunner, box: SecretBox) {
    this.#runner = runner;
    this.#box = box;
  }

  async read(): Promise<SettingSections> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, () => 'SELECT section, words FROM settings ORDER BY section'),
    );
    return Object.fromEntries(
      rows.map(({ section, words }) => [String(section), openedWords(this.#box, String(section), String(words))]),
    );
  }

  async change(
    section: string,
    change: (before: SettingFields) => SettingFields,
    audit: (before: SettingFields, after: SettingFields) => readonly NewAuditEntry[],
  ): Promise<SettingFields> {
    const changed = await this.#runner.write(
      () => this.#changing(section, change),
      ({ before, after }) => audit(before, after),
    );
    return changed.after;
  }

  *#changing(
    section: string,
    change: (before: SettingFields) => SettingFields,
  ): SqlProgram<{ readonly before: SettingFields; readonly after: SettingFields }> {
    const { dialect } = this.#runner;
    yield* lock(dialect, 'settings');
    const rows = yield* ask(dialect, (sql) => `SELECT words FROM settings WHERE section = ${sql.put(section)}`);
    const [row] = rows;
    const before = row === undefined ? {} : openedWords(this.#box, section, String(row.words));
    const after = change(before);
    const json = sealedWords(this.#box, section, after);
    yield* ask(
      dialect,
      (sql) => `
        INSERT INTO settings (section, words) VALUES (${sql.put(section)}, ${sql.put(json)})
        ON CONFLICT (section) DO UPDATE SET words = excluded.words
      `,
    );
    return { before, after };
  }
}
