/* The aspect ratios of models that several providers serve. */

export const IDEOGRAM_RATIOS = [
  '1:3',
  '3:1',
  '1:2',
  '2:1',
  '9:16',
  '16:9',
  '10:16',
  '16:10',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '1:1',
];

export const GEMINI_RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
