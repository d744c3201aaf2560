import { describe, expect, test } from 'bun:test';
import { crossOriginFailure } from './cross-origin.ts';

const SETTINGS = ['`server.public_url`', '`server.trusted_proxies`'];

function told(publicOrigin: string, headers: Record<string, string>) {
  const failure = crossOriginFailure({
    headers: new Headers(headers),
    publicOrigin,
    otherClients: 'other clients use a token',
  });
  return { message: failure.message, hint: failure.details.hint ?? '' };
}

describe('behind an unconfigured reverse proxy', () => {
  test.each([
    ['that ends TLS', 'http://ai.example.com', { origin: 'https://ai.example.com' }],
    ['with another port', 'http://ai.example.com:8787', { origin: 'https://ai.example.com' }],
    [
      'that sends its own host',
      'http://gateway:8787',
      { origin: 'https://ai.example.com', 'x-forwarded-proto': 'https' },
    ],
  ])('%s, both settings and both addresses are named', (_, publicOrigin, headers) => {
    const { message, hint } = told(publicOrigin, headers);
    for (const setting of SETTINGS) expect(hint).toContain(setting);
    expect(message).toContain(headers.origin);
    expect(message).toContain(publicOrigin);
  });
});

test.each([{ origin: 'https://evil.example' }, { origin: 'null' }, {}])(
  'a page of another origin gets no settings: %p',
  (headers) => {
    const { hint } = told('https://ai.example.com', headers as Record<string, string>);
    expect(hint).toBe('Browsers send the header `Origin`; other clients use a token.');
  },
);
