import { tagKeyOf } from '../usage/request-tags.ts';
import type { NumberRange, RuleConditions, RuleFacts, Share, WeekTimes } from './model-rule.ts';
import { placeOf } from './share.ts';
import { clockText, isWithin, weekPointAt } from './week-times.ts';

/** The names of conditions as configuration files write them, in the order in which they are compared: cheap facts first. */
export const CONDITIONS = [
  'stream',
  'formats',
  'roles',
  'accounts',
  'keys',
  'tags',
  'time',
  'reasoning_effort',
  'tools',
  'input_tokens',
  'images',
  'audio',
  'files',
  'share',
] as const;
export type ConditionName = (typeof CONDITIONS)[number];

/** The rule to which a condition belongs. Its share is drawn anew for each pair of models. */
export interface RulePlace {
  /** The id of the virtual model. */
  readonly from: string;
  readonly to: string;
}

/** A condition with the value that it was compared with, as text for people. */
export interface ConditionCheck {
  readonly condition: ConditionName;
  readonly wanted: string;
  readonly value: string;
  readonly holds: boolean;
}

const ANY_VALUE = '*';
const NO_VALUE = 'not a part of this kind of request';

/** Returns whether all conditions hold. Compares no fact after the first condition that does not. */
export function allHold(when: RuleConditions, facts: RuleFacts, place: RulePlace): boolean {
  for (const condition of CONDITIONS) if (isSet(when, condition) && !holds(condition, when, facts, place)) return false;
  return true;
}

/** Returns every condition with its value. Computes all facts that the conditions compare. */
export function checksOf(when: RuleConditions, facts: RuleFacts, place: RulePlace): readonly ConditionCheck[] {
  return CONDITIONS.filter((condition) => isSet(when, condition)).map((condition) => ({
    condition,
    ...shown(condition, when, facts, place),
    holds: holds(condition, when, facts, place),
  }));
}

function isSet(when: RuleConditions, condition: ConditionName): boolean {
  return memberOf(when, condition) !== undefined;
}

function memberOf(when: RuleConditions, condition: ConditionName): unknown {
  if (condition === 'input_tokens') return when.inputTokens;
  return condition === 'reasoning_effort' ? when.reasoningEffort : when[condition];
}

function holds(condition: ConditionName, when: RuleConditions, facts: RuleFacts, place: RulePlace): boolean {
  switch (condition) {
    case 'stream':
      return when.stream === facts.stream;
    case 'formats':
      return has(when.formats, facts.format);
    case 'roles':
      return has(when.roles, facts.role);
    case 'accounts':
      return has(when.accounts, facts.accountId);
    case 'keys':
      return has(when.keys, keyOf(facts));
    case 'tags':
      return hasTags(when.tags ?? [], facts.tags);
    case 'time':
      return when.time !== undefined && isWithin(when.time, weekPointAt(facts.atMs, when.time.zone));
    case 'reasoning_effort':
      return has(when.reasoningEffort, facts.reasoningEffort());
    case 'tools':
      return matches(when.tools, facts.tools());
    case 'input_tokens':
      return matches(when.inputTokens, facts.inputTokens());
    case 'images':
      return matches(when.images, facts.images());
    case 'audio':
      return matches(when.audio, facts.audio());
    case 'files':
      return matches(when.files, facts.files());
    case 'share':
      return when.share !== undefined && drawn(when.share, facts, place) < when.share.percent;
  }
}

function has<Value>(list: readonly Value[] | undefined, value: NoInfer<Value> | null): boolean {
  return value !== null && list?.includes(value) === true;
}

/** Returns whether a number is as wanted: in a range, or present or absent. Without the fact it never is. */
function matches(wanted: boolean | NumberRange | undefined, value: number | null): boolean {
  if (wanted === undefined || value === null) return false;
  if (typeof wanted === 'boolean') return wanted === value > 0;
  return (wanted.min === null || value >= wanted.min) && (wanted.max === null || value <= wanted.max);
}

/** Returns whether each key among the wanted tags has an alternative that the request has. */
function hasTags(wanted: readonly string[], tags: readonly string[]): boolean {
  const found = new Set<string>();
  for (const one of wanted) if (tags.some((tag) => isTagged(tag, one))) found.add(tagKeyOf(one));
  return wanted.every((one) => found.has(tagKeyOf(one)));
}

function isTagged(tag: string, wanted: string): boolean {
  return tag === wanted || (wanted.endsWith(`=${ANY_VALUE}`) && tagKeyOf(tag) === tagKeyOf(wanted));
}

function keyOf({ accountId, keyId }: RuleFacts): string {
  return `${accountId}/${keyId}`;
}

/** Returns the place of the request's identity in [0, 100). */
function drawn({ by }: Share, facts: RuleFacts, { from, to }: RulePlace): number {
  return placeOf(JSON.stringify([from, to, by, facts.identity(by)]));
}

// ---- for people

type Shown = Pick<ConditionCheck, 'wanted' | 'value'>;

function shown(condition: ConditionName, when: RuleConditions, facts: RuleFacts, place: RulePlace): Shown {
  switch (condition) {
    case 'stream':
      return { wanted: flagText(when.stream), value: flagText(facts.stream) };
    case 'formats':
      return { wanted: listText(when.formats), value: facts.format };
    case 'roles':
      return { wanted: listText(when.roles), value: facts.role };
    case 'accounts':
      return { wanted: listText(when.accounts), value: facts.accountId };
    case 'keys':
      return { wanted: listText(when.keys), value: keyOf(facts) };
    case 'tags':
      return { wanted: listText(when.tags), value: facts.tags.length === 0 ? 'none' : facts.tags.join(', ') };
    case 'time':
      return when.time === undefined ? NOTHING : timeShown(when.time, facts.atMs);
    case 'reasoning_effort':
      return { wanted: listText(when.reasoningEffort), value: facts.reasoningEffort() ?? NO_VALUE };
    case 'tools':
      return numberShown(when.tools, facts.tools());
    case 'input_tokens':
      return numberShown(when.inputTokens, facts.inputTokens());
    case 'images':
      return numberShown(when.images, facts.images());
    case 'audio':
      return numberShown(when.audio, facts.audio());
    case 'files':
      return numberShown(when.files, facts.files());
    case 'share':
      return when.share === undefined ? NOTHING : shareShown(when.share, drawn(when.share, facts, place));
  }
}

const NOTHING: Shown = { wanted: '', value: '' };

function numberShown(wanted: boolean | NumberRange | undefined, value: number | null): Shown {
  const text = typeof wanted === 'object' ? rangeText(wanted) : flagText(wanted);
  return { wanted: text, value: value === null ? NO_VALUE : String(value) };
}

function rangeText({ min, max }: NumberRange): string {
  if (min === null) return `at most ${max}`;
  return max === null ? `at least ${min}` : `${min} to ${max}`;
}

function flagText(flag: boolean | undefined): string {
  return flag === true ? 'yes' : 'no';
}

function listText(list: readonly string[] = []): string {
  return list.join(' or ');
}

function timeShown({ days, from, to, zone }: WeekTimes, atMs: number): Shown {
  const { day, minute } = weekPointAt(atMs, zone);
  const wanted = `${days.length === 0 ? 'every day' : days.join(', ')} ${clockText(from)} to ${clockText(to)} ${zone}`;
  return { wanted, value: `${day} ${clockText(minute)}` };
}

function shareShown({ percent, by }: Share, at: number): Shown {
  return { wanted: `below ${percent} (by ${by})`, value: at.toFixed(2) };
}
