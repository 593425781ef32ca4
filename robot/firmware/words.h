/* Where the values of the SPI messages stand. Written from robot/registers/src/spi/words.rs; do not edit. */
#ifndef XPUCK_WORDS_H
#define XPUCK_WORDS_H
#define WORDS                                 32u /* words of a message */
#define MAX_SPEED                           1000u /* fastest speed of a motor, steps/s */
#define MAX_COUNTS                          4095u /* largest value of the converter */
#define TIMEOUT_MS                           200u /* time without a command after which the motors stop, ms */
#define CRC_START                          65535u /* start value of the CRC */
#define CRC_POLYNOMIAL                      4129u /* polynomial of the CRC, most significant bit first */
#define COMMAND_ACTIONS                        0u /* actions to perform, see below */
#define COMMAND_SPEED_LEFT                     1u /* left motor; positive drives forward */
#define COMMAND_SPEED_RIGHT                    2u /* right motor; positive drives forward */
#define COMMAND_LEDS                           3u /* LEDs that are lit: 0 to 7 the ring, 8 the body, 9 the front */
#define COMMAND_BLINK                          4u /* half-period of LED blinking; 0 is steady */
#define COMMAND_PIXELS                         5u /* 15 Neopixels, which the logic between drives from the passing words */
#define COMMAND_SUM                           28u /* sum of words 0 to 27 and 29 */
#define COMMAND_SEQUENCE                      29u /* number of this command */
#define COMMAND_CRC                           30u /* over words 0 to 29 */
#define COMMAND_DUMMY                         31u /* unused by board and dsPIC; used by the shim's logic */
#define REPORT_REFLECTED                       0u /* reflected infra-red less ambient; larger is nearer */
#define REPORT_ACCELERATION                    8u /* along x, y and z; 2048 at 0 g */
#define REPORT_MICROPHONES                    11u /* the three microphones */
#define REPORT_AMBIENT                        14u /* ambient infra-red in the order of the reflected; larger is brighter */
#define REPORT_STEPS_LEFT                     22u /* steps that the left motor made; forward counts up */
#define REPORT_STEPS_RIGHT                    23u /* steps that the right motor made; forward counts up */
#define REPORT_BATTERY                        24u /* battery; 0 where the robot cannot measure it */
#define REPORT_STATUS                         25u /* condition of motors and link, see below */
#define REPORT_ECHO                           26u /* number of the last command that was accepted */
#define REPORT_REJECTED                       27u /* commands rejected since power-up: wrong CRC or sum, or truncated */
#define REPORT_SUM                            28u /* sum of words 0 to 27 and 29 */
#define REPORT_SEQUENCE                       29u /* number of messages before the one for which this report was made */
#define REPORT_CRC                            30u /* over words 0 to 29 */
#define REPORT_DUMMY                          31u /* unused by board and dsPIC; used by the shim's logic */
#define ACTION_SET_MOTOR                       1u /* apply the speeds */
#define ACTION_SET_LED                         2u /* apply the LEDs and their blinking */
#define ACTION_RESET                           4u /* return to the state after power-up */
#define ACTION_CALIBRATE_IR                    8u /* kept from the extension board; no effect, offsets are in the robot's file */
#define ACTION_CALIBRATE_ACCELERATION         16u /* kept from the extension board; no effect */
#define ACTION_READ_IR                        32u /* kept from the extension board; every sensor is read all the time */
#define ACTION_READ_LIGHT                     64u /* as read_ir */
#define ACTION_READ_MICROPHONES              128u /* as read_ir */
#define ACTION_READ_ACCELERATION             256u /* as read_ir */
#define STATUS_MOTORS_TIMED_OUT                1u /* the motors stopped because no valid command came for 200 ms */
#define STATUS_LAST_COMMAND_BAD                2u /* the last command was rejected */
#endif
