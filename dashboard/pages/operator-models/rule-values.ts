import { isObject, type JsonObject } from '../shared/json.ts';
import { numberSaid } from '../shared/written.ts';

/** How the fields of a condition look. */
export const CONDITIONS = {
  input_tokens: 'range',
  tools: 'flag-or-range',
  images: 'flag',
  audio: 'flag',
  files: 'flag',
  reasoning_effort: 'efforts',
  stream: 'flag',
  tags: 'words',
  roles: 'roles',
  accounts: 'words',
  keys: 'words',
  formats: 'formats',
  time: 'time',
  share: 'share',
} as const;
export type ConditionName = keyof typeof CONDITIONS;
export const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[];

/** A condition in its form. Each kind of condition uses some of the members. */
export interface ConditionValues {
  condition: ConditionName;
  flag: 'yes' | 'no';
  min: string;
  max: string;
  /** Also the days of a time. */
  list: string[];
  from: string;
  to: string;
  zone: string;
  percent: string;
  by: string;
}

export interface RuleValues {
  /** Tells rules apart while they are edited; not sent. */
  key: number;
  name: string;
  model: string;
  when: ConditionValues[];
}

/** The rules of a virtual model in their form. */
export interface RulesValues {
  rules: RuleValues[];
  /** The model of the default; empty if there are no rules. */
  otherwise: string;
  /** The name of the default. */
  otherwiseName: string;
}

export const NO_RULES: RulesValues = { rules: [], otherwise: '', otherwiseName: '' };

let keys = 0;

export function newCondition(condition: ConditionName): ConditionValues {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const time = { from: '', to: '', zone: timeZone || 'UTC' };
  return { condition, flag: 'yes', min: '', max: '', list: [], ...time, percent: '', by: 'session' };
}

export function newRule(): RuleValues {
  keys += 1;
  return { key: keys, name: '', model: '', when: [newCondition('input_tokens')] };
}

/** Returns the form's values for rules as the API has them. */
export function rulesFrom(stated: unknown): RulesValues {
  const all = Array.isArray(stated) ? stated.filter(isObject) : [];
  const last = all.at(-1);
  return {
    rules: all.slice(0, -1).map(ruleFrom),
    otherwise: textOf(last?.model),
    otherwiseName: textOf(last?.name),
  };
}

function ruleFrom(rule: JsonObject): RuleValues {
  const when = isObject(rule.when) ? rule.when : {};
  const named = CONDITION_NAMES.filter((name) => when[name] != null);
  const conditions = named.map((name) => conditionFrom(name, when[name]));
  return { ...newRule(), name: textOf(rule.name), model: textOf(rule.model), when: conditions };
}

function conditionFrom(condition: ConditionName, value: unknown): ConditionValues {
  const empty = newCondition(condition);
  if (typeof value === 'boolean') return { ...empty, flag: value ? 'yes' : 'no' };
  if (Array.isArray(value)) return { ...empty, list: value.map(String) };
  if (!isObject(value)) return empty;
  const { min, max, days, from, to, zone, percent, by } = value;
  return {
    ...empty,
    ...{ min: textOf(min), max: textOf(max), list: Array.isArray(days) ? days.map(String) : [] },
    ...{
      from: textOf(from),
      to: textOf(to),
      zone: textOf(zone),
      percent: textOf(percent),
      by: textOf(by) || 'session',
    },
  };
}

/** Returns rules in the API's form; `null` for none. */
export function rulesSaid({ rules, otherwise, otherwiseName }: RulesValues): unknown {
  if (rules.length === 0 && otherwise.trim() === '') return null;
  const named = (name: string) => (name.trim() === '' ? {} : { name: name.trim() });
  return [
    ...rules.map((rule) => ({ ...named(rule.name), when: whenSaid(rule.when), model: rule.model.trim() })),
    { ...named(otherwiseName), model: otherwise.trim() },
  ];
}

function whenSaid(conditions: readonly ConditionValues[]): JsonObject {
  return Object.fromEntries(conditions.map((one) => [one.condition, conditionSaid(one)]));
}

function conditionSaid(values: ConditionValues): unknown {
  const { condition, flag, list, from, to, zone, percent, by } = values;
  switch (CONDITIONS[condition]) {
    case 'flag':
      return flag === 'yes';
    case 'range':
      return rangeSaid(values);
    case 'flag-or-range':
      return values.min === '' && values.max === '' ? flag === 'yes' : rangeSaid(values);
    case 'time':
      return { ...(list.length > 0 && { days: list }), ...withText({ from, to }), zone: zone.trim() };
    case 'share':
      return { percent: numberSaid(percent) ?? 0, by };
    default:
      return list;
  }
}

function rangeSaid({ min, max }: ConditionValues): JsonObject {
  const [least, most] = [numberSaid(min), numberSaid(max)];
  return { ...(least !== null && { min: least }), ...(most !== null && { max: most }) };
}

function withText(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''));
}

function textOf(value: unknown): string {
  return value == null ? '' : String(value);
}
