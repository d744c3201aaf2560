import { describeLeavers } from '../../conformance/disconnect/leavers.ts';
import { until } from '../../conformance/shared/until.ts';
import { openSockets } from '../shared/process-files.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/**
 * Sockets that may remain in the connection pools of clients and upstreams after their responses were read to the end. Cancelled requests
 * close their connections, so the number is far below a crowd's, and the same after the last crowd as after the first.
 */
const POOLED = 4;

let socketsBefore = 0;

describeLeavers<ServingProcess>({
  createSpace: () => ProcessWorkspace.create(),
  crowd: 40,
  group: 10,
  beforeAny: ({ pid }) => {
    socketsBefore = openSockets(pid);
  },
  afterEach: async ({ pid }) => {
    const most = socketsBefore + POOLED;
    await until(`the gateway has no more than ${most} sockets`, () => openSockets(pid) <= most);
  },
});
