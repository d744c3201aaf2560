import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Browser } from './browser.ts';

export const OPERATOR_EMAIL = 'root@example.com';
export const OPERATOR_PASSWORD = 'correct horse battery staple';

/** Includes the start of the next line, so that this one is complete. */
const LINK = /\/welcome#(\w+)\s/;

/** Resolves to the token of the one-time link that a first start prints. */
export async function firstToken(serving: Pick<Serving, 'stdout'>): Promise<string> {
  await until('the sign-up link of the first operator is printed', () => LINK.test(serving.stdout));
  return LINK.exec(serving.stdout)?.[1] ?? '';
}

/** Signs up the first operator of nodes that have just been started, and signs in. */
export async function signUpOperator(nodes: readonly [Serving, ...Serving[]]): Promise<Browser> {
  const [email, password] = [OPERATOR_EMAIL, OPERATOR_PASSWORD];
  const browser = new Browser(nodes);
  const token = await firstToken(nodes[0]);
  await browser.ask(0, 'POST /invitations/accept', { token, email, name: 'Root', password });
  await browser.ask(0, 'POST /auth/sign-in/email', { email, password });
  return browser;
}
