import { z } from 'zod';
import { ROLES } from '../../../domain/access/account.ts';
import {
  type ModelRule,
  type NumberRange,
  RULE_EFFORTS,
  type RuleConditions,
  SHARE_KEYS,
  WEEKDAYS,
  type WeekTimes,
} from '../../../domain/routing/model-rule.ts';
import { RULE_FORMATS } from '../../../domain/routing/rule-formats.ts';
import { clockText, isTimeZone, minutesOf } from '../../../domain/routing/week-times.ts';
import { isTag } from '../../../domain/usage/request-tags.ts';
import { flag, integer, listOf, MAP, number, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { identifier, modelId, name } from './fields.ts';

/* The rules of a virtual model, as configuration files and the verbs of administration write them (docs/virtual-models.md). */

const MOST_RULES = 50;
const MOST_LISTED = 100;
const LARGEST_TOKENS = 1_000_000_000;
const MOST_TOOLS = 100_000;

const EMPTY_RANGE = { error: 'must have `min`, `max` or both' };
const range = (what: string, most: number) => {
  const end = integer(`must be a whole number of ${what} from 0 to ${most}`, 0, most).nullish();
  return z
    .strictObject({ min: end, max: end }, MAP)
    .refine(({ min, max }) => min != null || max != null, EMPTY_RANGE)
    .refine(({ min, max }) => min == null || max == null || min <= max, {
      error: 'must have a `min` that is not above `max`',
    });
};

const ZONE_RULE = 'must be the name of a time zone such as "Europe/Berlin" or "UTC"';
const zone = text(ZONE_RULE, /^[A-Za-z0-9+_/-]{1,64}$/).refine(isTimeZone, { error: ZONE_RULE });
const clock = text('must be a time from "00:00" to "24:00"', /^\d{2}:\d{2}$/).refine(
  (value) => minutesOf(value) !== null,
  {
    error: 'must be a time from "00:00" to "24:00"',
  },
);

export const timeSchema = z
  .strictObject(
    { days: some(oneOf(WEEKDAYS), 'days').nullish(), from: clock.nullish(), to: clock.nullish(), zone },
    MAP,
  )
  .refine(({ days, from, to }) => days != null || from != null || to != null, {
    error: 'must have `days`, or hours in `from` and `to`',
  });

const PERCENT_RULE = 'must be a percentage from 0 to 100 with at most two decimals';
const percent = number(PERCENT_RULE, 0, 100).refine((value) => Number.isInteger(Math.round(value * 1e6) / 1e4), {
  error: PERCENT_RULE,
});

const tag = z
  .string({ error: 'must be a string' })
  .refine(isTag, { error: 'must be a tag such as "team=search", or "team=*" for any value' });
const key = text('must be an account and the id of one of its keys, such as "acme/ci"', /^[^\s/]{1,64}\/[^\s/]{1,64}$/);

function some<Item extends z.ZodType>(item: Item, what: string) {
  return listOf(item, what, MOST_LISTED).min(1, { error: `must have at least one of the ${what}` });
}

export const shareSchema = z.strictObject({ percent, by: oneOf(SHARE_KEYS).nullish() }, MAP);

export const conditionsSchema = z
  .strictObject(
    {
      input_tokens: range('tokens', LARGEST_TOKENS).nullish(),
      tools: z
        .union([flag, range('tools', MOST_TOOLS)], { error: 'must be true, false, or a map with `min` and `max`' })
        .nullish(),
      images: flag.nullish(),
      audio: flag.nullish(),
      files: flag.nullish(),
      reasoning_effort: some(oneOf(RULE_EFFORTS), 'efforts').nullish(),
      stream: flag.nullish(),
      tags: some(tag, 'tags').nullish(),
      roles: some(oneOf(ROLES), 'roles').nullish(),
      accounts: some(identifier, 'accounts').nullish(),
      keys: some(key, 'keys').nullish(),
      formats: some(oneOf(RULE_FORMATS), 'formats').nullish(),
      time: timeSchema.nullish(),
      share: shareSchema.nullish(),
    },
    MAP,
  )
  .refine((when) => Object.values(when).some((value) => value != null), {
    error: 'must have at least one condition; leave it out of the last rule only, which is the default',
  });

export const ruleSchema = z.strictObject(
  { name: name.nullish(), when: conditionsSchema.nullish(), model: modelId },
  MAP,
);

export const rulesSchema = listOf(ruleSchema, 'rules', MOST_RULES)
  .min(1, { error: 'must have at least one rule; leave it out for a model that answers itself' })
  .superRefine((rules, context) => {
    for (const [index, { when }] of rules.entries()) {
      const isLast = index === rules.length - 1;
      if (isLast === (when == null)) continue;
      const message = isLast
        ? 'must be left out of the last rule, which is the default: add a rule with only a `model`'
        : 'is required in every rule but the last: a rule without it takes all requests';
      context.addIssue({ code: 'custom', path: [index, 'when'], message });
    }
  });

type FileRules = z.output<typeof rulesSchema>;
type FileConditions = NonNullable<FileRules[number]['when']>;

/** Returns checked rules; `null` for none. */
export function rulesFrom(rules: FileRules | null | undefined): readonly ModelRule[] | null {
  if (rules == null) return null;
  return rules.map((rule) => ({
    name: rule.name ?? null,
    when: rule.when == null ? null : conditionsFrom(rule.when),
    model: rule.model,
  }));
}

function conditionsFrom(when: FileConditions): RuleConditions {
  const { input_tokens: tokens, tools, images, audio, files, reasoning_effort: efforts, stream, share } = when;
  return {
    ...(tokens == null ? {} : { inputTokens: rangeFrom(tokens) }),
    ...(tools == null ? {} : { tools: typeof tools === 'boolean' ? tools : rangeFrom(tools) }),
    ...(images == null ? {} : { images }),
    ...(audio == null ? {} : { audio }),
    ...(files == null ? {} : { files }),
    ...(efforts == null ? {} : { reasoningEffort: efforts }),
    ...(stream == null ? {} : { stream }),
    ...(when.tags == null ? {} : { tags: when.tags }),
    ...(when.roles == null ? {} : { roles: when.roles }),
    ...(when.accounts == null ? {} : { accounts: when.accounts }),
    ...(when.keys == null ? {} : { keys: when.keys }),
    ...(when.formats == null ? {} : { formats: when.formats }),
    ...(when.time == null ? {} : { time: timesFrom(when.time) }),
    ...(share == null ? {} : { share: { percent: share.percent, by: share.by ?? 'session' } }),
  };
}

function rangeFrom({ min, max }: z.output<ReturnType<typeof range>>): NumberRange {
  return { min: min ?? null, max: max ?? null };
}

const WHOLE_DAY = 1_440;

function timesFrom({ days, from, to, zone: name }: NonNullable<FileConditions['time']>): WeekTimes {
  const minutes = (value: string | null | undefined) => (value == null ? null : minutesOf(value));
  return { days: days ?? [], from: minutes(from) ?? 0, to: minutes(to) ?? WHOLE_DAY, zone: name };
}

/** Returns rules in the form of their schema. */
export function rulesFields(rules: readonly ModelRule[] | null) {
  return (
    rules?.map(({ name: title, when, model }) => ({
      ...(title === null ? {} : { name: title }),
      ...(when === null ? {} : { when: conditionFields(when) }),
      model,
    })) ?? null
  );
}

function conditionFields(when: RuleConditions) {
  const { inputTokens, tools, reasoningEffort, time: times, ...same } = when;
  return {
    ...(inputTokens && { input_tokens: rangeFields(inputTokens) }),
    ...(tools === undefined ? {} : { tools: typeof tools === 'boolean' ? tools : rangeFields(tools) }),
    ...(reasoningEffort && { reasoning_effort: reasoningEffort }),
    ...same,
    ...(times && { time: timeFields(times) }),
  };
}

function rangeFields({ min, max }: NumberRange) {
  return { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
}

function timeFields({ days, from, to, zone: name }: WeekTimes) {
  return {
    ...(days.length === 0 ? {} : { days }),
    ...{ from: clockText(from), to: clockText(to), zone: name },
  };
}
