export enum End {
  Unix = '\n',
}

export const splitLines = (text: string): string[] => text.split(End.Unix);
