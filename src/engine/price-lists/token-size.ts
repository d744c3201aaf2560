/**
 * Whether two counts of tokens are one size written in two ways: 128,000 and 131,072 are both 128k, 1,000,000
 * and 1,048,576 both 1M, and "from 200,000 on" is
 * "above 199,999".
 */
export function isSameSize(a: number, b: number): boolean {
  const [less, more] = a < b ? [a, b] : [b, a];
  if (more - less <= 1) return true;
  // One more or less of the smaller one is that much of the product.
  return Math.abs(less * 1024 - more * 1000) <= 1024 || Math.abs(less * 1024 ** 2 - more * 1000 ** 2) <= 1024 ** 2;
}
