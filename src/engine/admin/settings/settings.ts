import type { Requester } from '../../../domain/access/actor.ts';
import type { AuditOrigin } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingFields, SettingSections, SettingsStore } from '../../ports/settings-store.ts';
import { AdminError, DeclaredError } from '../admin-error.ts';
import type { SettingVariables } from '../configuration/configuration.ts';
import { differences } from '../differences.ts';
import { refuseAnchor } from '../require-second-factor.ts';
import { checkInput } from '../schema/check-input.ts';
import { didYouMean } from '../schema/shape-problems.ts';
import { mailFrom, mailSchema } from '../schema/sign-in-section.ts';
import { classOf, SETTING_CLASSES } from './classes.ts';
import { FILE_DEFAULTS } from './default-settings.ts';
import { isMap, type Leaves, layered, leavesOf, sectionOf } from './leaves.ts';
import { SECTIONS } from './sections.ts';
import { shownSection, shownValue } from './shown-value.ts';

/** Where a value in force comes from. */
export type SettingSource = 'default' | 'api' | 'file';

/** The settings that this process has started with. */
export interface SettingsInForce {
  /** The path of the configuration file; `null` for none. */
  readonly path: string | null;
  /** The settings in the file. */
  readonly written: SettingSections;
  /** The environment variables to which values in the file refer, and those that replace a default. */
  readonly variables: SettingVariables;
  /** The values of settings that are not set, or that a standard variable of the environment sets. */
  readonly defaults: SettingSections;
  /** The settings that were set over the API when the process started. */
  readonly stored: SettingSections;
  /** Environment variables such as `PORT`. For those that may hold a secret, the value shows only that they are set. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Resolves to every setting with its value and its source, and which of them need a restart. */
export async function settingsView(store: Pick<SettingsStore, 'read'>, inForce: SettingsInForce) {
  const storedNow = await store.read();
  const defaults: SettingSections = { ...FILE_DEFAULTS, ...inForce.defaults };
  const sections = new Set([
    ...Object.keys(SETTING_CLASSES),
    ...Object.keys(inForce.written),
    ...Object.keys(storedNow),
  ]);
  const waiting: string[] = [];
  const views = [...sections].map((name) => {
    const next = leavesOf(storedNow[name] ?? {});
    const layers = {
      file: leavesOf(inForce.written[name] ?? {}),
      api: appliesAtOnce(name) ? next : leavesOf(inForce.stored[name] ?? {}),
      default: leavesOf(defaults[name] ?? {}),
    };
    const said = [...Object.values(layers), next].flatMap((leaves) => [...leaves.keys()]);
    const paths = [...new Set([...said, ...Object.keys(SETTING_CLASSES[name] ?? {})])].sort();
    const fields = paths.map((path) => {
      const isWaiting = !layers.file.has(path) && !same(layers.api.get(path), next.get(path));
      if (isWaiting) waiting.push(`${name}.${path}`);
      const later = isWaiting ? { after_restart: shownValue(name, path, next.get(path) ?? null) } : {};
      return [path, { ...fieldView(name, path, layers, inForce), ...later }] as const;
    });
    return [name, Object.fromEntries(fields)] as const;
  });
  const { path, environment } = inForce;
  return { file: path, environment, sections: Object.fromEntries(views), restart_needed: waiting };
}

/** Resolves to the mail server that a start would use now; `null` without one. */
export async function nextMail(store: SettingsStore, { written }: Pick<SettingsInForce, 'written'>) {
  const section = layered((await store.read()).mail ?? {}, written.mail ?? {});
  const parsed = mailSchema.safeParse(section);
  return parsed.success ? mailFrom(parsed.data) : null;
}

type Layers = Readonly<Record<SettingSource, Leaves>>;

function fieldView(section: string, path: string, layers: Layers, { variables }: Pick<SettingsInForce, 'variables'>) {
  const source = (['file', 'api', 'default'] as const).find((layer) => layers[layer].has(path)) ?? 'default';
  const changeable = source !== 'file' && isSettable(section, path);
  const names = source === 'api' ? [] : variablesOf(variables, `${section}.${path}`);
  return {
    value: shownValue(section, path, layers[source].get(path) ?? null),
    source,
    ...(names.length > 0 && { variables: names }),
    changeable,
    ...(changeable && classOf(section, path) === 'anchor' && { needs_second_factor: true as const }),
    ...(appliesAtOnce(section) && { applies_at_once: true as const }),
  };
}

/** Returns the variables of a field; those of a map's members belong to the map. */
function variablesOf(variables: SettingVariables, field: string): readonly string[] {
  return Object.entries(variables).flatMap(([name, names]) =>
    name === field || name.startsWith(`${field}.`) ? names : [],
  );
}

function appliesAtOnce(section: string): boolean {
  return Object.hasOwn(SECTIONS, section) && SECTIONS[section]?.appliesAtOnce === true;
}

/**
 * Sets some fields; `null` resets one. Each process applies them when it starts, except for sections that apply at once. Throws `AdminError` for invalid values, fields that the
 * configuration file sets, fields that only it can set, and those that the requester may not change (`refuseAnchor`).
 *
 * @param input sections in the form of a configuration file
 */
export async function changeSettings(
  {
    store,
    inForce,
    clock,
  }: { readonly store: SettingsStore; readonly inForce: SettingsInForce; readonly clock: Clock },
  { origin, requester }: { readonly origin: AuditOrigin; readonly requester: Requester | null },
  input: unknown,
): Promise<void> {
  if (!isMap(input)) throw new AdminError('invalid_value', 'settings', 'must be a map of sections');
  const changes = Object.entries(input).map(([name, change]) => [name, checkedChange(name, change, inForce)] as const);
  const stored = await store.read();
  const apply = (name: string, before: SettingFields, change: Leaves) => {
    const after = changed(name, before, change, inForce);
    for (const field of differingAnchors(name, before, after)) refuseAnchor(requester, clock.nowMs(), field);
    return after;
  };
  // Sections are written one by one, so this first checks that all changes can be applied.
  for (const [name, change] of changes) apply(name, stored[name] ?? {}, change);
  for (const [name, change] of changes) {
    await store.change(
      name,
      (before) => apply(name, before, change),
      (before, after) => {
        const fields = differences(before, after);
        if (fields.length === 0) return [];
        const what = { action: 'settings.change', accountId: null, objectId: name };
        const states = {
          before: pick(shownSection(name, before), fields),
          after: pick(shownSection(name, after), fields),
        };
        return [{ ...origin, atMs: clock.nowMs(), ...what, ...states }];
      },
    );
  }
}

/** Returns the fields to change by path; `null` for one that is reset. */
function checkedChange(name: string, change: unknown, { written }: SettingsInForce): Leaves {
  const section = SECTIONS[name];
  if (section === undefined) {
    const known = Object.keys(SECTIONS);
    throw new AdminError('invalid_value', name, `is not a section that can be set here${didYouMean(name, known)}`);
  }
  if (!isMap(change)) throw new AdminError('invalid_value', name, 'must be a map of fields');
  const leaves = allLeaves(change);
  const filed = leavesOf(written[name] ?? {});
  for (const field of leaves.keys()) {
    const label = `${name}.${field}`;
    if (!isSettable(name, field)) {
      throw new AdminError('conflict', label, 'can only be set in the configuration file');
    }
    if (filed.has(field)) {
      throw new DeclaredError('conflict', label, 'is set in the configuration file: change it there');
    }
  }
  return leaves;
}

/** Returns whether a field can be set over the API, unless the file sets it. */
function isSettable(name: string, path: string): boolean {
  return Object.hasOwn(SECTIONS, name) && classOf(name, path) !== 'file';
}

/** Returns the trust anchors whose value a change would alter, each with its section. */
function differingAnchors(section: string, before: SettingFields, after: SettingFields): readonly string[] {
  const [was, is] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => classOf(section, path) === 'anchor' && !same(was.get(path), is.get(path)))
    .map((path) => `${section}.${path}`);
}

/** Returns the fields as `leavesOf` does, including those that are `null`. */
function allLeaves(fields: SettingFields, prefix = ''): Leaves {
  return new Map(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] =>
      isMap(value) ? [...allLeaves(value, `${prefix}${name}.`)] : [[prefix + name, value]],
    ),
  );
}

function changed(name: string, before: SettingFields, change: Leaves, { written }: SettingsInForce): SettingFields {
  const leaves = new Map(leavesOf(before));
  for (const [path, value] of change) {
    if (value === null) leaves.delete(path);
    else leaves.set(path, value);
  }
  const after = sectionOf(leaves);
  const schema = SECTIONS[name]?.schema;
  // Checks the section as it is read at the start: merged with the file.
  if (schema !== undefined) named(name, () => checkInput(schema, [name], layered(after, written[name] ?? {})));
  return after;
}

/** Adds the section to the field names of errors. */
function named(section: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    const problem = error.message.slice(error.field.length + 2);
    throw new AdminError(error.code, `${section}.${error.field}`, problem);
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function pick(fields: SettingFields, names: readonly string[]): SettingFields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}
