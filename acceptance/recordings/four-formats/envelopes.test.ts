import { describeEnvelopes } from '../../../conformance/four-formats/envelopes.ts';

describeEnvelopes({ againstDocuments: true });
