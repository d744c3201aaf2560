import type { ReactNode } from 'react';

/** One of the possible values of a field. */
export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  /** A second, lighter line. */
  readonly detail?: string;
  readonly group?: string;
  readonly isDisabled?: boolean;
}

export interface RichOption<Value extends string = string> extends Omit<Option<Value>, 'detail' | 'group'> {
  readonly detail?: ReactNode;
}

export interface Found<One> {
  readonly shown: readonly One[];
  /** How many matches are not shown. */
  readonly left: number;
}

/** Returns items that contain every word of the query, prefix matches first; at most `limit`, since each one is drawn. */
export function search<One>(
  items: readonly One[],
  query: string,
  textOf: (item: One) => string,
  limit: number,
): Found<One> {
  const words = normal(query).split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return { shown: items.slice(0, limit), left: Math.max(0, items.length - limit) };
  const best: One[] = [];
  const others: One[] = [];
  for (const item of items) {
    const text = normal(textOf(item));
    if (!words.every((word) => text.includes(word))) continue;
    (text.startsWith(first) ? best : others).push(item);
  }
  const found = [...best, ...others];
  return { shown: found.slice(0, limit), left: Math.max(0, found.length - limit) };
}

/** Removes case, accents and the width of Chinese and Japanese characters. */
function normal(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** Groups options in the order of first occurrence; those without a group are under ''. */
export function grouped<Value extends string>(options: readonly Option<Value>[]): [string, Option<Value>[]][] {
  const groups = new Map<string, Option<Value>[]>();
  for (const option of options) {
    const group = groups.get(option.group ?? '');
    if (group) group.push(option);
    else groups.set(option.group ?? '', [option]);
  }
  return [...groups];
}
