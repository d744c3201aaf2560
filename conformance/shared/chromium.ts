/** @deprecated The test runner's; tests take it from `acceptance/shared/chromium.ts`. */
export { CHROMIUM } from '../../acceptance/shared/chromium.ts';
