import { type Browser, chromium } from 'playwright-core';
import { testNeeding } from '../../tools/test/needs.ts';

/** Where the machine has it; `null` elsewhere. */
export const CHROMIUM = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome');
export const browserTest = testNeeding('chromium', CHROMIUM !== null);

/**
 * The pages below the address bar, which Chromium loads for each window, unseen, and a process in stock, which pages of other contexts
 * cannot use: together more than a second of the processor. Chromium hears the last such switch alone, so what Playwright turns off is
 * named again.
 */
const UNUSED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning', 'PaintHolding'],
  ...['LensOverlay', 'MediaRouter', 'AimEnabled'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
];

let shared: Promise<Browser> | null = null;

/**
 * The browser that all tests of this process share, each with contexts of its own: to start one takes a second of the processor. It
 * ends with the process, which holds the other end of its pipe.
 */
export function sharedChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('There is no Chromium on this machine.');
  const args = [
    ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    `--disable-features=${UNUSED_FEATURES.join(',')}`,
  ];
  shared ??= chromium.launch({ executablePath: CHROMIUM, args });
  return shared;
}
