import { Workspace } from '../shared/workspace.ts';
import { describeLeavers } from './leavers.ts';

/* Crowds of a hundred, and the sockets of the gateway's process, are in acceptance/process/disconnect.test.ts. */

describeLeavers({ createSpace: () => Workspace.create(), crowd: 16, group: 4 });
