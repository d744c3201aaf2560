import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { SettingSections, SettingsStore, SettingWords } from '../../engine/ports/settings-store.ts';
import { fromJson } from '../shared/tables/encoding.ts';
import { ask, lock, type ProgramRunner, type SqlProgram } from './program.ts';

/** The settings store for both databases. */
export class SqlSettings implements SettingsStore {
  readonly #runner: ProgramRunner;

  constructor(runner: ProgramRunner) {
    this.#runner = runner;
  }

  async read(): Promise<SettingSections> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, () => 'SELECT section, words FROM settings ORDER BY section'),
    );
    return Object.fromEntries(rows.map(({ section, words }) => [String(section), wordsFrom(words)]));
  }

  async change(
    section: string,
    change: (before: SettingWords) => SettingWords,
    audit: (before: SettingWords, after: SettingWords) => readonly NewAuditEntry[],
  ): Promise<SettingWords> {
    const changed = await this.#runner.write(
      () => this.#changing(section, change),
      ({ before, after }) => audit(before, after),
    );
    return changed.after;
  }

  *#changing(
    section: string,
    change: (before: SettingWords) => SettingWords,
  ): SqlProgram<{ readonly before: SettingWords; readonly after: SettingWords }> {
    const { dialect } = this.#runner;
    yield* lock(dialect, 'settings');
    const rows = yield* ask(dialect, (sql) => `SELECT words FROM settings WHERE section = ${sql.put(section)}`);
    const [row] = rows;
    const before = row === undefined ? {} : wordsFrom(row.words);
    const after = change(before);
    const json = JSON.stringify(after);
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

function wordsFrom(words: unknown): SettingWords {
  return fromJson<SettingWords>(String(words));
}
