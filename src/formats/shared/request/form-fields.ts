import { Failure } from '../../../domain/failure/failure.ts';
import type { UploadedForm } from '../../../domain/media/uploaded-file.ts';

/* Reads the text parts of a form, each as its expected type. An empty part, as a browser sends it, counts as absent. */

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** The text parts of one form, with a record of which ones have been read. */
export class FormFields {
  private readonly read = new Set<string>();

  constructor(private readonly fields: UploadedForm['fields']) {}

  /** Returns `null` if the part is absent or empty. */
  text(name: string): string | null {
    this.read.add(name);
    const value = this.fields.get(name)?.[0]?.trim() ?? '';
    return value === '' ? null : value;
  }

  /** Returns all values of a list. */
  list(name: string): readonly string[] {
    this.read.add(name);
    return (this.fields.get(name) ?? []).map((value) => value.trim()).filter((value) => value !== '');
  }

  number(name: string, least: number, most: number): number | null | Failure {
    const text = this.text(name);
    if (text === null) return null;
    const rule = `must be a number from ${least} to ${most}`;
    if (!NUMBER.test(text)) return wrong('invalid_type', name, rule);
    const value = Number(text);
    return value >= least && value <= most ? value : wrong('invalid_value', name, rule);
  }

  wholeNumber(name: string): number | null | Failure {
    const text = this.text(name);
    if (text === null) return null;
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value <= MOST_MILLISECONDS) return value;
    return wrong('invalid_value', name, `must be a whole number of milliseconds from 0 to ${MOST_MILLISECONDS}`);
  }

  switch(name: string): boolean | Failure {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined || text === 'false') return false;
    return text === 'true' ? true : wrong('invalid_type', name, 'must be `true` or `false`');
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | null | Failure {
    const text = this.text(name);
    if (text === null) return null;
    return choices.find((choice) => choice === text) ?? wrong('invalid_value', name, `must be ${oneOfThese(choices)}`);
  }

  listOf<Choice extends string>(name: string, choices: readonly Choice[]): readonly Choice[] | Failure {
    const found: Choice[] = [];
    for (const text of this.list(name)) {
      const choice = choices.find((one) => one === text);
      if (choice === undefined) {
        return wrong('invalid_value', name, `must only contain ${oneOfThese(choices)}`);
      }
      if (!found.includes(choice)) found.push(choice);
    }
    return found;
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Returns the parts that have not been read. */
  others(): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.fields].filter(([name]) => !this.read.has(name)));
  }
}

/** One hour. */
const MOST_MILLISECONDS = 3_600_000;

export function oneOfThese(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `\`${choice}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

export function missing(param: string, what: string): Failure {
  return new Failure('missing_required_parameter', { message: `\`${param}\` is missing: ${what}.`, param });
}

export function wrong(code: 'invalid_type' | 'invalid_value', param: string, rule: string): Failure {
  return new Failure(code, { message: `\`${param}\` ${rule}.`, param });
}
