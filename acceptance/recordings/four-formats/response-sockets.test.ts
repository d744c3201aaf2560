import { describeResponseSockets } from '../../../conformance/four-formats/response-sockets.ts';

describeResponseSockets({ againstDocuments: true });
