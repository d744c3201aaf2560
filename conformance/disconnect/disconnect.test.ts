import { Workspace } from '../shared/workspace.ts';
import { describeLeavers } from './leavers.ts';

/* acceptance/process/disconnect.test.ts tests larger crowds, and the sockets of the gateway's process. */

describeLeavers({ createSpace: () => Workspace.create(), crowd: 16, group: 4 });
