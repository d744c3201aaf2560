import { describe, expect, test } from 'bun:test';
import { ALL_SCOPES, allowsScope, type GrantedScope, normalScopes, SCOPES, scopeBeyond } from './scopes.ts';

describe('scopes', () => {
  test('a wildcard allows every scope, or every read scope', () => {
    for (const scope of SCOPES) {
      expect(allowsScope(ALL_SCOPES, scope)).toBe(true);
      expect(allowsScope(['*:read'], scope)).toBe(scope.endsWith(':read'));
      expect(allowsScope([], scope)).toBe(false);
    }
  });

  test.each<[granted: GrantedScope, wanted: GrantedScope, allowed: boolean]>([
    ['keys:write', 'keys:read', true],
    ['keys:read', 'keys:write', false],
    ['account:write', 'accounts:read', false],
    ['accounts:write', 'account:read', false],
    ['*', '*:read', true],
    ['*:read', '*', false],
    ['keys:write', '*:read', false],
  ])('%s allows %s: %p', (granted, wanted, allowed) => {
    expect(allowsScope([granted], wanted)).toBe(allowed);
  });

  test('a wildcard exceeds any list of single scopes', () => {
    expect(scopeBeyond(SCOPES, ['usage:read', '*:read'])).toBe('*:read');
    expect(scopeBeyond(SCOPES, ['*'])).toBe('*');
    expect(scopeBeyond(['keys:write', 'usage:read'], ['keys:read', 'usage:read'])).toBeNull();
  });

  test('scopes that another one includes are dropped', () => {
    expect(normalScopes(['usage:read', 'keys:read', 'keys:write', 'usage:read'])).toEqual(['keys:write', 'usage:read']);
    expect(normalScopes(['keys:write', '*:read', 'usage:read'])).toEqual(['*:read', 'keys:write']);
    expect(normalScopes(['*:read', '*', 'usage:read'])).toEqual(['*']);
  });
});
