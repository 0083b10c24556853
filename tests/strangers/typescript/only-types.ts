export type Level = 'INFO' | 'ERROR';

export interface Entry {
  level: Level;
  text: string;
}

export const LEVELS: readonly Level[] = ['INFO', 'ERROR'];
