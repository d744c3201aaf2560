import { type Pattern, parsePattern } from './pattern-syntax.ts';

const MAXIMUM_LENGTH = 1_000;

class NoSampleError extends Error {}

/**
 * Returns a string that the regular expression matches: the first alternative, and the smallest repetition plus `extra` where
 * allowed. `null` for unsupported syntax (back references) and for very long repetitions.
 */
export function samplePattern(pattern: string, extra: number): string | null {
  const tree = parsePattern(pattern);
  if (tree === null) return null;
  try {
    return sample(tree, extra);
  } catch (error) {
    if (error instanceof NoSampleError) return null;
    throw error;
  }
}

function sample(pattern: Pattern, extra: number): string {
  switch (pattern.kind) {
    case 'characters':
      if (pattern.shown === null) throw new NoSampleError();
      return pattern.shown;
    case 'sequence': {
      let text = '';
      for (const item of pattern.items) {
        text += sample(item, extra);
        if (text.length > MAXIMUM_LENGTH) throw new NoSampleError();
      }
      return text;
    }
    case 'choice': {
      const [first] = pattern.options;
      return first === undefined ? '' : sample(first, extra);
    }
    case 'repeat': {
      const times = Math.min(pattern.most, pattern.least + extra);
      if (times === 0) return '';
      const once = sample(pattern.item, extra);
      if (once.length * times > MAXIMUM_LENGTH) throw new NoSampleError();
      return once.repeat(times);
    }
    default:
      return '';
  }
}
