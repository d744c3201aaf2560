import { expect, test } from 'bun:test';
import { inFlight, RequestsInFlight } from './requests-in-flight.ts';

test('a sender has a limited number of places, and gets one back when its request ends', () => {
  const requests = new RequestsInFlight(2);
  let isOpen = true;
  expect([requests.enter('a', () => isOpen), requests.enter('a', () => true)]).toEqual([true, true]);
  expect([requests.enter('a', () => true), requests.enter('b', () => true)]).toEqual([false, true]);
  isOpen = false;
  expect([requests.enter('a', () => true), requests.enter('a', () => true)]).toEqual([true, false]);
});

test('finished requests are forgotten', () => {
  const requests = new RequestsInFlight(1_000);
  const asked: string[] = [];
  const request = (name: string, isOpen: boolean) => () => {
    asked.push(name);
    return isOpen;
  };
  requests.enter('a', request('over', false));
  requests.enter('a', request('open', true));
  requests.look();
  requests.look();
  expect(asked).toEqual(['over', 'open', 'open']);
});

test('a request is in flight until the client has its response, even if the handler fails', async () => {
  let peer: object | null = { address: '203.0.113.7' };
  const peers = { requestIP: () => peer };
  let isInFlight = () => false;
  const answered = Promise.withResolvers<string>();
  const answering = inFlight('request', peers, (one) => {
    isInFlight = one;
    return answered.promise;
  });
  peer = null;
  expect(isInFlight()).toBe(true);
  peer = {};
  answered.resolve('answer');
  expect([await answering, isInFlight()]).toEqual(['answer', true]);
  peer = null;
  expect(isInFlight()).toBe(false);

  const failing = inFlight('request', peers, (one) => {
    isInFlight = one;
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(isInFlight()).toBe(false);
});
