package org.shop;

import org.junit.jupiter.api.Test;

class OrdersTest {
    @Test
    void totals() {}
}
