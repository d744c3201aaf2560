import type { Rule } from '../facts.ts';
import { bannedCalls } from './banned-calls.ts';
import { cycles } from './cycles.ts';
import { dashboard } from './dashboard.ts';
import { environment } from './environment.ts';
import { fixedSleeps } from './fixed-sleeps.ts';
import { floors } from './floors.ts';
import { folderShapes } from './folder-shapes.ts';
import { length } from './length.ts';
import { outsideModules } from './outside-modules.ts';
import { plainComments } from './plain-comments.ts';
import { pureDomain } from './pure-domain.ts';
import { siblings } from './siblings.ts';
import { testLevels } from './test-levels.ts';
import { testsApart } from './tests-apart.ts';

export const RULES: readonly Rule[] = [
  floors,
  siblings,
  outsideModules,
  pureDomain,
  environment,
  folderShapes,
  length,
  bannedCalls,
  fixedSleeps,
  cycles,
  testsApart,
  testLevels,
  dashboard,
  plainComments,
];
