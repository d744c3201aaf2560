import type { Environment } from './cli/settings.ts';

/** `print` shows the secrets of the first start even if the output is not a terminal. */
export const FIRST_START_VARIABLE = 'SWITCHYARD_FIRST_START';

/**
 * Whether the first key and the first link are printed: only to a terminal, because other output is kept by a collector, where many people
 * read it for long.
 */
export function printsSecrets(isTerminal: boolean, environment: Environment): boolean {
  return isTerminal || environment[FIRST_START_VARIABLE] === 'print';
}

export function firstKeyLines(secret: string): readonly string[] {
  return ['Your first API key. It is not shown again, so keep it:', `  ${secret}`];
}

export function firstLinkLines(link: string): readonly string[] {
  return [
    'Open this link to create the first admin (works once):',
    `  ${link}`,
    'Lost it? Run "switchyard users invite --operator".',
    '',
  ];
}

/** The lines in their place if the output is not a terminal. */
export const FIRST_START_HINT: readonly string[] = [
  'There is no API key yet. Secrets are printed only to a terminal: run "switchyard first-start" for the first key and the link of the first admin.',
  'In a container: docker exec CONTAINER /usr/local/bin/switchyard first-start',
];
