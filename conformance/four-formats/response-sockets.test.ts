import { describeResponseSockets } from './response-sockets.ts';

describeResponseSockets({ againstDocuments: false });
