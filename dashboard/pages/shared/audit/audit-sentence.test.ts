import { expect, test } from 'bun:test';
import { auditText } from '../../../text/audit.ts';
import { auditSentences } from '../../../text/audit-sentences.ts';
import { auditSentence } from './audit-sentence.ts';

type Told = Parameters<typeof auditSentence>[0];

const ADA = { kind: 'person', id: 'u1', name: 'ada@example.com' } as const;
const told = (action: string, more: Partial<Told> = {}): Told => ({
  ...{ action, actor: ADA, actor_name: 'Ada', object_id: 'key_1', object_name: 'CI' },
  ...more,
});
const said = (entry: Told) => [
  auditSentence(entry, auditText.en, auditSentences.en),
  auditSentence(entry, auditText.zh, auditSentences.zh),
];

test('an entry is a sentence with the names of the actor and the object', () => {
  expect(said(told('key.create'))).toEqual(['Ada created the key CI', 'Ada 创建了密钥 CI']);
  expect(said(told('balance.grant', { object_id: 'acme', object_name: 'Acme' }))[0]).toBe('Ada added credit to Acme');
});

test('ids and the email stand in for missing names', () => {
  const nameless = { actor_name: null, object_name: null };
  expect(said(told('key.revoke', nameless))[0]).toBe('ada@example.com revoked the key key_1');
});

test('a failed sign-in does not say that somebody did something', () => {
  const anyone = {
    actor: { kind: 'gateway', id: null, name: 'anyone' },
    actor_name: null,
    object_id: 'unknown',
  } as const;
  expect(said(told('session.refuse', anyone))).toEqual(['Sign-in failed', '登录失败']);
  expect(said(told('session.refuse'))[0]).toBe('Sign-in failed for Ada');
});

test('actors that are not people are named by what they are', () => {
  const by = (kind: 'token' | 'file' | 'gateway', name: string) =>
    said(told('channel.block', { actor: { kind, id: null, name }, actor_name: null, object_name: 'OpenAI main' }))[0];
  expect(by('token', 'Deploy')).toBe('Token Deploy blocked the channel OpenAI main');
  expect(by('file', '/etc/switchyard.yaml')).toBe('The config file blocked the channel OpenAI main');
  expect(by('gateway', 'refused credentials')).toBe('The gateway blocked the channel OpenAI main');
});

test('all accounts are named, and an unknown action has its code', () => {
  expect(said(told('cache.clear', { object_id: 'all', object_name: null }))[0]).toBe(
    'Ada cleared the cache of all accounts',
  );
  expect(said(told('toString'))).toEqual(['toString: CI', 'toString：CI']);
});

test('every named action has a sentence', () => {
  const named = Object.keys(auditText.en.actions).filter((action) => action !== 'session.refuse');
  expect(named.filter((action) => !Object.hasOwn(auditSentences.en.did, action))).toEqual([]);
});
