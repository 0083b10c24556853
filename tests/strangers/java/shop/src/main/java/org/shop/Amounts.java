package org.shop;

class Amounts {
    static double of(String row) {
        return Double.parseDouble(row.substring(row.indexOf(',') + 1));
    }
}
