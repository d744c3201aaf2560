import { describeEnvelopes } from './envelopes.ts';

describeEnvelopes({ againstDocuments: false });
