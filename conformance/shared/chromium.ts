import { CHROMIUM, sharedChromium } from '../../acceptance/shared/chromium.ts';
import { testNeeding } from '../../tools/test/needs.ts';

export { CHROMIUM, sharedChromium };
export const browserTest = testNeeding('chromium', CHROMIUM !== null);
