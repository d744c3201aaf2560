import { describe } from 'bun:test';
import { testCarriedRequests } from './requests/carried-requests.ts';
import { rareRequests, recordedRequests } from './requests/recorded-requests.ts';
import { ownExchanges } from './shared/recordings.ts';

describe("requests of the project's own exchanges, and rare ones", () => {
  testCarriedRequests([...recordedRequests(ownExchanges()), ...rareRequests()]);
});
