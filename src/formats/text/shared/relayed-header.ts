import type { RelayedHeader } from '../format.ts';

/**
 * Lists of names such as `tools-2024-04-04, assistants=v2`. Allows far more and longer names than any SDK sends; matched in
 * linear time.
 */
export const LISTED_NAMES: Omit<RelayedHeader, 'name'> = {
  value: /^(?=.{0,2048}$)[\w.:=-]{0,128}(?:[ \t]*,[ \t]*[\w.:=-]{1,128}){0,63}$/,
  rule: 'a comma-separated list of at most 64 names, each of at most 128 letters, digits and . : = _ -',
};
