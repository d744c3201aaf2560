import type { Environment } from './cli/settings.ts';

/** `terminal` prints the secrets of the first start to a terminal only, `print` always. */
export const FIRST_START_VARIABLE = 'SWITCHYARD_FIRST_START';

/**
 * Whether the first key and the first link are printed. They are not if a collector keeps the output, where many people read it for long:
 * one that asks for `LOG_FORMAT=json`, or is named by the image, the chart and the systemd unit with `SWITCHYARD_FIRST_START=terminal`.
 */
export function printsSecrets(isTerminal: boolean, environment: Environment): boolean {
  const wanted = environment[FIRST_START_VARIABLE];
  if (isTerminal || wanted === 'print') return true;
  return wanted !== 'terminal' && environment.LOG_FORMAT !== 'json';
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

/** The lines in their place if a collector keeps the output. */
export const FIRST_START_HINT: readonly string[] = [
  'There is no API key yet. Secrets are printed only to a terminal: run "switchyard first-start" for the first key and the link of the first admin.',
  'In a container: docker exec CONTAINER /usr/local/bin/switchyard first-start',
];
